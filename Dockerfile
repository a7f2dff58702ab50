# agent-service serve, with its state in /data. Behind a reverse proxy that ends TLS; BASE_URL is its address.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Nothing to build before the sources are here.
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build.ts npm

FROM node:24-bookworm-slim
# git clones over https; slim images have neither it nor the certificates.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/npm/cli.mjs /src/npm/acp.mjs /src/npm/model.mjs /src/npm/traces.mjs /src/npm/LICENSES.txt ./npm/

ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/npm/cli.mjs"]
CMD ["serve"]
