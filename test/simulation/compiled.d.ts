/** The text of a module of the service, compiled with its own imports: compile.ts builds it. */
declare module "compiled:*" {
  const source: string;
  export default source;
}
