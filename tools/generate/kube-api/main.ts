// Writes the generated part of @rxlet/kube-api: node tools/generate/kube-api/main.ts
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.ts';

const root = new URL('../../../', import.meta.url);
const source = new URL('packages/kube-api/src/', root);
const files = generate(readFileSync(new URL('proto/openapi/kubernetes-1.36.json', root), 'utf8'));

mkdirSync(new URL('gen/', source), { recursive: true });
for (const name of readdirSync(new URL('gen/', source))) {
  if (!files.has(`gen/${name}`)) rmSync(new URL(`gen/${name}`, source));
}
for (const [path, text] of files) writeFileSync(new URL(path, source), text);
console.log(`${files.size} files written below ${fileURLToPath(source)}`);
