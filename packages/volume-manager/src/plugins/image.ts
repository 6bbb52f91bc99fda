import type { VolumePlugin } from '@rxlet/agent-api/volumes';

/** Creates the plugin of image volumes. The runtime pulls and mounts the image; nothing of it is on the host. */
export function imagePlugin(): VolumePlugin {
  return {
    name: 'kubernetes.io/image',
    field: 'image',
    mode: 'Filesystem',
    refreshes: false,
    volume: () => ({
      hostPath: '',
      attributes: { readOnly: true, managed: true, seLinuxRelabel: true },
      setUp: async () => undefined,
    }),
    tearDown: async () => undefined,
  };
}
