import { expect, it, onTestFinished } from 'vitest';
import { createAgentBench, manifestPod } from '../test-support/agent-bench.ts';

it.each([
  ['all containers', ['app', 'proxy']],
  ['the only container', ['app']],
])('restarts %s at once when the exit of one asks for it (KEP-5532)', async (_, names) => {
  const bench = createAgentBench();
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
