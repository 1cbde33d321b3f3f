/** nginx itself parses docs/operating.md's configuration. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const isThere = (program: string, option: string): boolean => {
  try {
    execFileSync(program, [option], { stdio: "ignore" });
    return true;
  } catch {
    console.warn(`there is no ${program} here: the configuration of nginx is not read`);
    return false;
  }
};

/** The page's indented block that begins so, without its indentation. */
function block(begin: string): string {
  const lines = readFileSync("docs/operating.md", "utf8").split("\n");
  const first = lines.indexOf(`    ${begin}`);
  const count = lines.slice(first).findIndex((line) => !line.startsWith("    "));
  return lines
    .slice(first, first + count)
    .map((line) => line.slice(4))
    .join("\n");
}

test.skipIf(!isThere("nginx", "-v") || !isThere("openssl", "version"))(
  "nginx accepts both of its files, and passes a long 402",
  () => {
    const dir = mkdtempSync(join(tmpdir(), "tallystick-nginx-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const [key, certificate, included] = ["key.pem", "cert.pem", "tallystick.conf"].map((name) =>
      join(dir, name),
    );
    const subject = ["-subj", "/CN=api.example.org", "-days", "1", "-nodes"];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-keyout", key!, "-out", certificate!, ...subject],
      { stdio: "ignore" },
    );
    const location = block("location / {");
    writeFileSync(included!, location);
    const server = block("server {")
      .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, certificate!)
      .replace(/\/etc\/letsencrypt\S+privkey\.pem/, key!)
      .replace("/etc/nginx/tallystick.conf", included!)
      // The form before nginx 1.25.
      .replace("http2 on;", "");
    const file = join(dir, "nginx.conf");
    writeFileSync(
      file,
      `pid ${dir}/pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${dir}/a; proxy_temp_path ${dir}/b;
        fastcgi_temp_path ${dir}/c; uwsgi_temp_path ${dir}/d; scgi_temp_path ${dir}/e;\n${server}\n}\n`,
    );
    execFileSync("nginx", ["-t", "-q", "-c", file], { stdio: "pipe" });
    expect(location).toContain("proxy_buffer_size 32k;");
  },
);
