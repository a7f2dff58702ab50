# agent-service serve, with its state in /data. Behind a reverse proxy that ends TLS; BASE_URL is its address.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Nothing to build before the sources are here.
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build.ts npm

FROM node:24-bookworm-slim
# git clones over https and ssh, and agents' commands are executed in bubblewrap; slim images have neither, nor certificates.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/npm/ ./npm/
RUN chmod 0755 npm/cli.mjs && ln -s /app/npm/cli.mjs /usr/local/bin/agent-service

ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# For glibc: what was freed is given back, so that the process stays small, and git is started as fast as at first (docs/decisions/139).
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16000 MALLOC_TRIM_THRESHOLD_=65536
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["agent-service"]
CMD ["serve"]
