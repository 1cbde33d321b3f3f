export const resolve = (specifier, context, next) =>
  specifier === "fs" && context.parentURL?.includes("/conformance/")
    ? { url: new URL("./fs.mjs", import.meta.url).href, shortCircuit: true }
    : next(specifier, context);
