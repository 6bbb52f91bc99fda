import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The image of all pods of the benchmark. */
export const IMAGE = 'docker.io/library/busybox:1.36';

/** Properties in which pods of the benchmark differ. */
export interface PodKind {
  readonly command?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** The pod has a ConfigMap and a Secret of its own, and an emptyDir, as volumes. Default: no volumes. */
  readonly hasVolumes?: boolean;
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
    const { command = ['sleep', 'infinity'], annotations = {}, hasVolumes = false } = kind(index);
    const { volumes, volumeMounts, objects } = hasVolumes ? volumesOf(name) : noVolumes;
    const container = { name: 'main', image: IMAGE, command, volumeMounts };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, annotations },
      spec: { terminationGracePeriodSeconds: 1, containers: [container], volumes },
    };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(pod));
    for (const object of objects)
      await writeFile(join(folder, `${name}-${object.kind.toLowerCase()}.json`), JSON.stringify(object));
  }
}

const noVolumes = { volumes: undefined, volumeMounts: undefined, objects: [] };

function volumesOf(name: string) {
  const metadata = { name, namespace: 'default' };
  return {
    volumes: [
      { name: 'config', configMap: { name } },
      { name: 'secret', secret: { secretName: name } },
      { name: 'scratch', emptyDir: {} },
    ],
    volumeMounts: ['config', 'secret', 'scratch'].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
    objects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'settings.yaml': 'level: info', mode: 'fast' } },
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username: 'user', password: 'hidden' } },
    ],
  };
}
