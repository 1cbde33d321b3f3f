export const buildSandbox = async (..._: unknown[]): Promise<never> => {
  throw new Error("x");
};
