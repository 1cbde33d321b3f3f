export * from "node:fs";
export const globSync = () => {
  throw new Error("globSync needs Node 22");
};
