import { expect, it } from 'vitest';
import { checkProviderPod } from './check-provider-pod.ts';

const pod = (exitCode: number, restartCount: number) =>
  checkProviderPod(
    {
      uid: '1',
      name: 'web',
      namespace: 'default',
      containers: [{ name: 'main', state: 'exited', exitCode, restartCount }],
    },
    undefined,
    1_000_000,
  );

it('replaces numbers that are too large for the API, as exit codes of other systems are', () => {
  const { pod: checked, problems } = pod(0xc000_0005, 2 ** 31);
  expect(checked.containers).toMatchObject([{ exitCode: 137, reason: 'ContainerStatusUnknown', restartCount: 0 }]);
  expect(problems).toHaveLength(2);
});

it('keeps the largest numbers of the API', () => {
  const { pod: checked, problems } = pod(-(2 ** 31), 2 ** 31 - 1);
  expect(checked.containers).toMatchObject([{ exitCode: -(2 ** 31), reason: 'Error', restartCount: 2 ** 31 - 1 }]);
  expect(problems).toEqual([]);
});

it('takes a container of an unknown state for one that waits', () => {
  const container = { name: 'main', state: 'paused' } as unknown as { name: string; state: 'waiting' };
  const reported = { uid: '1', name: 'web', namespace: 'default', containers: [container] };
  const { pod: checked, problems } = checkProviderPod(reported, undefined, 1_000_000);
  expect(checked.containers).toMatchObject([{ name: 'main', state: 'waiting' }]);
  expect(problems).toEqual(['the state of container "main" is unknown: paused']);
});
