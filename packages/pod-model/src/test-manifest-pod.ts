import type { Pod } from '@rxlet/kube-api';
import { defaultPod } from './defaults.ts';
import { PodAnnotation } from './labels.ts';

/** Returns a static pod with defaults, as from a manifest, with one container `app` unless `spec` has others. Another version is another pod of the same name. */
export function manifestPod(
  name: string,
  spec: Partial<NonNullable<Pod['spec']>> & { command?: string[] } = {},
  version = 1,
): Pod {
  const { command = ['serve'], ...rest } = spec;
  const uid = `uid-${name}-${String(version)}`;
  return defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid,
      annotations: { [PodAnnotation.configSource]: 'file', [PodAnnotation.configHash]: uid },
    },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', command }], ...rest },
  });
}
