# The service alone: DATABASE_URL names Postgres, and /data keeps the dataset vintages and secrets.
FROM node:24-bookworm-slim AS build
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
# Packages' scripts wait for the sources, because the last one compiles; a change of the sources then installs nothing.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

COPY bin bin
COPY layers.ts ./
COPY eventstore eventstore
COPY src src
COPY docs docs
RUN npm rebuild && npm run build && node bin/slim.mjs && mkdir data

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app

COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/docs docs
COPY --from=build --chown=node:node /app/data /data
# The user node, by number: Kubernetes asks whether it is root, and knows no names.
USER 1000:1000
VOLUME /data
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["bin/tallystick"]
CMD ["serve"]
