/// The version of this build, shown by `--version` and `build_info`.
public enum Build {
    /// Semantic version of all four programs.
    public static let version = "0.1.0"
}
