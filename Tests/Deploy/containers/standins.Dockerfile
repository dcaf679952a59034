# What stands for the published images of Kafka, PostgreSQL, Caddy and Prometheus where no registry can be reached: Debian's programs, and
# Apache Kafka as published. They take the settings that deploy/compose gives to the real ones.
FROM docker.io/library/debian:bookworm-slim AS kafka
RUN apt-get update && apt-get install --yes --no-install-recommends openjdk-17-jre-headless
COPY --from=kafka-libs . /opt/kafka/libs/
COPY kafka /usr/local/bin/kafka
EXPOSE 9092
ENTRYPOINT ["/usr/local/bin/kafka"]

FROM docker.io/library/debian:bookworm-slim AS postgres
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql
COPY postgres /usr/local/bin/postgres-image
ENTRYPOINT ["/usr/local/bin/postgres-image"]

FROM docker.io/library/debian:bookworm-slim AS caddy
RUN apt-get update && apt-get install --yes --no-install-recommends caddy
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]

FROM docker.io/library/debian:bookworm-slim AS prometheus
RUN apt-get update && apt-get install --yes --no-install-recommends prometheus && mkdir /data && \
    install -d -o nobody /prometheus
USER nobody
ENTRYPOINT ["/usr/bin/prometheus"]
