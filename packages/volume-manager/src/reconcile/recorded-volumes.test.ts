import { expect, it } from 'vitest';
import { recordedVolumes } from './recorded-volumes.ts';

it('has the volumes of the other pods when the directory of one cannot be read', async () => {
  const recorded = recordedVolumes({
    files: { list: async () => ['damaged', 'intact'] },
    paths: { pods: '/root/pods' },
    plugins: [
      {},
      {
        async recordedVolumes(podUid) {
          if (podUid === 'damaged') throw new Error('EUCLEAN: structure needs cleaning');
          return [{ isDamaged: false, attachedAs: 'kubernetes.io/csi/csi.example.com^disk' }];
        },
      },
    ],
  });
  expect(await recorded).toEqual([
    { podUid: 'damaged', isDamaged: true },
    { podUid: 'intact', isDamaged: false, attachedAs: 'kubernetes.io/csi/csi.example.com^disk' },
  ]);
});
