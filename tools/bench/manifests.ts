import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The image of all pods of the benchmark. */
export const IMAGE = 'docker.io/library/busybox:1.36';

/** What pods of the benchmark are like. */
export interface PodKind {
  readonly command?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Writes the manifests `pod-0` and so on, of one container each, into `folder`, which is made. */
export async function writeManifests(
  folder: string,
  count: number,
  kind: (index: number) => PodKind = () => ({}),
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const name = `pod-${String(index)}`;
    const { command = ['sleep', 'infinity'], annotations = {} } = kind(index);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, annotations },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: IMAGE, command }] },
    };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(pod));
  }
}
