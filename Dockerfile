# syntax=docker/dockerfile:1
# A container with the program alone, which reads and writes addresses as well (the feature `remote`):
#
#     docker build -t sitegrove .
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" sitegrove run crawl/ --out out/tonight

FROM rust:1.95-slim-bookworm AS build
# The C sources of jemalloc, SQLite, zstd and libdeflate are part of the crates.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY configs configs
COPY crates crates
COPY pipeline pipeline
RUN cargo build --locked --release --package sitegrove --features remote

# The C library and nothing else: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/release/sitegrove /usr/local/bin/sitegrove
COPY LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/sitegrove/
COPY configs /usr/local/share/sitegrove/configs
WORKDIR /data
# The user `nonroot` of the image.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/sitegrove"]
CMD ["--help"]
