import { expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode } from '../test-node.ts';

it.each([
  ['all containers', ['app', 'proxy']],
  ['the only container', ['app']],
])('restarts %s at once when the exit of one demands it (KEP-5532)', async (_, names) => {
  const bench = createTestNode();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  await bench.start();
  bench.desire(
    manifestPod('web', {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'app',
          image: 'registry.example/app:1',
          command: ['serve'],
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
        },
        { name: 'proxy', image: 'registry.example/proxy:1', command: ['serve'] },
      ].slice(0, names.length),
    }),
  );
  await bench.clock.advance(5_000);
  const ids = () => names.flatMap((name) => bench.instances('web', name)).map(({ id }) => id);
  const before = ids();
  bench.fake.exitContainer(before[0]!, 42);
  await bench.clock.advance(5_000);
  expect(bench.running()).toEqual(names.map((name) => `web/${name}`));
  expect(ids().filter((id) => before.includes(id))).toEqual([]);
});

it('starts containers whatever the status in the copy of the API server says', async () => {
  const bench = createTestNode();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  await bench.start();
  const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
  const app = { name: 'app', image: 'registry.example/app:1', command: ['serve'], restartPolicy: 'Never' };
  const pod = manifestPod('web', { restartPolicy: 'Never', containers: [{ ...app, restartPolicyRules }] });
  bench.desire({ ...pod, status: { conditions: [{ type: 'AllContainersRestarting', status: 'True' }] } });
  await bench.clock.advance(5_000);
  expect(bench.running()).toEqual(['web/app']);
});
