/** The manifests of kubernetes/: valid by Kubernetes' own schema, and true to the settings and to the service's addresses. */
import { readdirSync, readFileSync } from "node:fs";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { documentsOf } from "../../src/api/describe/documents.ts";
import { areas } from "../../src/areas/index.ts";
import { environment } from "../../src/runtime/config.ts";

const FOLDER = new URL("../../kubernetes/", import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, FOLDER), "utf8");

type Tree = { [key: string]: Tree };
const manifest = (file: string) => parse(textOf(file)) as Tree;

type Model = new (data: never) => { validate(): void };
const models: readonly (Model & { apiVersion: string; kind: string })[] = [
  ...[ConfigMap, Deployment, PersistentVolumeClaim, PodDisruptionBudget, Secret, Service],
];

/** The schema's faults, and the fields that it never reads: it knows none of that name. */
function faultsOf(data: Tree): unknown[] {
  const model = models.find(
    ({ apiVersion, kind }) => `${apiVersion} ${kind}` === `${data.apiVersion} ${data.kind}`,
  );
  if (!model) return [`no schema of ${data.apiVersion} ${data.kind}`];
  const read = new Set<string>();
  const watched = <Node>(node: Node, path = ""): Node =>
    typeof node !== "object" || node === null
      ? node
      : new Proxy(node, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key);
            if (typeof key === "symbol" || typeof value === "function") return value;
            read.add(`${path}/${key}`);
            return watched(value, `${path}/${key}`);
          },
        });
  const faults: unknown[] = [];
  try {
    watched(new model(data as never)).validate();
  } catch (error) {
    faults.push((error as Error).message);
  }
  return [...faults, ...pathsOf(data).filter((path) => !read.has(path))];
}

const pathsOf = (node: unknown, path = ""): string[] =>
  typeof node !== "object" || node === null
    ? []
    : Object.entries(node).flatMap(([key, value]) => [`${path}/${key}`, ...pathsOf(value, `${path}/${key}`)]);

const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml") && file !== "secret.yaml");
const manifests = files.filter((file) => file !== "kustomization.yaml");
const pod = () => manifest("deployment.yaml").spec!.template!.spec!;
const container = () => Object.values(pod().containers!)[0]!;

test("every manifest is valid by Kubernetes' schema, without an unknown field", () => {
  expect(manifests).toHaveLength(6);
  for (const file of manifests) expect(faultsOf(manifest(file)), file).toEqual([]);
});

test("the check finds a wrong value, a missing field and a misspelt one", () => {
  const changed = (change: (data: Tree) => void) => {
    const data = manifest("deployment.yaml");
    change(data);
    return JSON.stringify(faultsOf(data));
  };
  expect(changed(({ spec }) => Object.assign(spec!, { replicas: "two" }))).toContain("/spec/replicas");
  expect(changed(({ spec }) => delete spec!.selector)).toContain("selector");
  expect(changed(({ spec }) => Object.assign(spec!.template!.spec!, { volumnes: [] }))).toContain("volumnes");
});

test("the settings and secrets are settings of the service, and refer to each other by name", () => {
  const names = Object.keys(environment.shape);
  const settings = manifest("settings.yaml");
  const secret = manifest("secret.example.yaml");
  expect(names).toEqual(expect.arrayContaining(Object.keys(settings.data!)));
  expect(names).toEqual(expect.arrayContaining(Object.keys(secret.stringData!)));
  expect(container().envFrom).toEqual([
    { configMapRef: { name: settings.metadata!.name } },
    { secretRef: { name: secret.metadata!.name } },
  ]);
  expect(Object.values(pod().volumes!)[0]).toMatchObject({
    persistentVolumeClaim: { claimName: manifest("storage.yaml").metadata!.name },
  });
});

test("the minimum for production is set", () => {
  const example = readFileSync(new URL("../.env.example", FOLDER), "utf8");
  const [, least] = /The least for production: ([^.]+)\./.exec(example)!;
  const set = { ...manifest("settings.yaml").data, ...manifest("secret.example.yaml").stringData };
  for (const name of least!.match(/[A-Z][A-Z_]+/g)!) expect(Object.keys(set)).toContain(name);
});

test("probes request existing paths, and a pod ends after its last calls", () => {
  const terms = { pay_to: "0x0", public_url: "http://localhost", embedded_chain: true } as const;
  const served = documentsOf(catalogueOf(areas), terms).map(({ path }) => path);
  for (const probe of ["livenessProbe", "readinessProbe"])
    expect(served).toContain(container()[probe]!.httpGet!.path);
  const { LINGER_SECONDS, LEAVE_SECONDS } = manifest("settings.yaml").data!;
  expect(Number(pod().terminationGracePeriodSeconds)).toBeGreaterThan(
    Number(LINGER_SECONDS) + Number(LEAVE_SECONDS),
  );
});

test("one label selects the pods, and the named port is the image's", () => {
  const { matchLabels } = manifest("deployment.yaml").spec!.selector!;
  expect(manifest("deployment.yaml").spec!.template!.metadata!.labels).toMatchObject(matchLabels!);
  expect(manifest("service.yaml").spec!.selector).toEqual(matchLabels);
  expect(manifest("disruption-budget.yaml").spec!.selector!.matchLabels).toEqual(matchLabels);
  const [, port] = /^EXPOSE (\d+)$/m.exec(readFileSync(new URL("../Dockerfile", FOLDER), "utf8"))!;
  expect(container().ports).toEqual([{ name: "http", containerPort: Number(port) }]);
  expect(Object.values(manifest("service.yaml").spec!.ports!)).toMatchObject([{ targetPort: "http" }]);
});

test("the kustomization lists every manifest but the secret's example", () => {
  const { resources } = manifest("kustomization.yaml");
  expect(Object.values(resources!).toSorted()).toEqual(
    manifests.filter((file) => file !== "secret.example.yaml").toSorted(),
  );
});
