/// What this build is, as `--version` and `build_info` tell it.
public enum Build {
    /// Semantic version of all four programs.
    public static let version = "0.1.0"
}
