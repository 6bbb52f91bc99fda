import { expect, it } from 'vitest';
import { createTestCluster, createTestNode, manifestPod } from './index.ts';

it('waits on a node until a pod has a phase', async () => {
  await using node = createTestNode();
  node.desire(manifestPod('web'), manifestPod('job', { restartPolicy: 'Never' }));
  await node.start();
  await node.untilPhase('web', 'Running');
  node.fake.exitContainer(node.instances('job')[0]!.id, 0);
  await node.untilPhase('job', 'Succeeded', 10_000);
  expect(node.running()).toEqual(['web/app']);
});

it('waits in a cluster until the API server shows a phase', async () => {
  await using cluster = createTestCluster();
  await cluster.start();
  cluster.bind('web');
  await cluster.untilPhase('web', 'Running');
  await cluster.until(() => cluster.running().length === 1);
  expect(cluster.pod('web')?.status?.phase).toBe('Running');
});

it('names the status of a pod that does not get the phase', async () => {
  await using node = createTestNode();
  node.fake.setFailpoint('pullImage', 'error(not_found: no such image)');
  node.desire(manifestPod('web'));
  await node.start();
  await expect(node.untilPhase('web', 'Running', 5_000)).rejects.toThrow(
    /^pod web is not Running: Pending, app: (ErrImagePull|ImagePullBackOff); /,
  );
  await expect(node.untilPhase('gone', 'Running', 5_000)).rejects.toThrow(
    'pod gone is not Running: there is no such pod; ',
  );
});
