import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchRun } from './bench-part.ts';
import { IMAGE } from './manifests.ts';
import type { ReadingReport } from './manifest-reader.ts';
import { median } from './statistics.ts';

/** Reads folders of YAML manifests in a process of its own: delays, CPU, how long the event loop was blocked, and the memory that is left. */
export async function benchManifestReading({ print, long }: BenchRun): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'rxlet-bench-manifests-'));
  try {
    for (const count of [1, 30, 100, 2000]) {
      const folder = join(root, String(count));
      await mkdir(folder);
      for (let index = 0; index < count; index += 1) {
        const name = `pod-${String(index)}`;
        await writeFile(join(folder, `${name}.yaml`), manifest(name));
      }
      await measure(`${String(count)} manifests`, folder, long ? 7 : 3, print);
    }
    for (const [title, text] of largeManifests()) {
      const folder = await mkdtemp(join(root, 'large-'));
      await writeFile(join(folder, 'large.yaml'), text);
      await measure(`${(text.length / 2 ** 20).toFixed(1)} MiB ${title}`, folder, long ? 3 : 1, print);
    }
  } finally {
    await rm(root, { recursive: true });
  }
}

async function measure(title: string, folder: string, rounds: number, print: (line: string) => void): Promise<void> {
  const reports: ReadingReport[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const program = fileURLToPath(new URL('./manifest-reader.ts', import.meta.url));
    const args = ['--expose-gc', '--conditions=@rxlet/source', program, folder];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    reports.push(JSON.parse(stdout) as ReadingReport);
  }
  const middle = (field: keyof ReadingReport): string => median(reports.map((report) => report[field])).toFixed(0);
  print(
    `${title}: first pod after ${middle('firstMs')} ms, all ${middle('pods')} after ${middle('readyMs')} ms, ${middle('problems')} rejected; ` +
      `CPU ${middle('cpuMs')} ms, longest turn of the event loop ${middle('blockedMs')} ms of CPU; ` +
      `memory ${middle('rssBeforeMb')} MB before, ${middle('rssAfterMb')} MB ten seconds after (median of ${String(rounds)})`,
  );
}

function manifest(name: string, env = ''): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: {app: ${name}, tier: web}
spec:
  terminationGracePeriodSeconds: 5
  containers:
    - name: main
      image: ${IMAGE}
      command: [sleep, infinity]
      env:
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
${env}      resources:
        requests: {cpu: 100m, memory: 64Mi}
        limits: {memory: 128Mi}
      livenessProbe:
        httpGet: {path: /healthz, port: 8080}
      volumeMounts:
        - {name: data, mountPath: /data}
  volumes:
    - name: data
      emptyDir: {}
`;
}

/** Manifests of nine megabytes: a valid one, one that is mostly comments, and one that is rejected for its number of tokens. */
function* largeManifests(): Generator<readonly [title: string, text: string]> {
  const variable = (_: unknown, index: number): string =>
    `        - name: VAR_${String(index)}\n          value: "${'x'.repeat(960)}"\n`;
  yield ['of environment variables', manifest('large', Array.from({ length: 9000 }, variable).join(''))];
  yield ['of comments', manifest('large') + `# ${'c'.repeat(98)}\n`.repeat(90_000)];
  yield ['of list items', `apiVersion: v1\nkind: Pod\nspec:\n  x: [${'a, '.repeat(3_000_000)}b]\n`];
}
