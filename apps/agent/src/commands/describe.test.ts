import { expect, it } from 'vitest';
import { describeObjects } from './describe.ts';
import { parseTargets } from '../resources/kinds.ts';
import { recordingTerminal, runningPod, startFakeAgent } from './test-support.ts';

it('describes a pod with its own events', async () => {
  await using agent = await startFakeAgent();
  agent.put(runningPod('web'), runningPod('db'));
  for (const { metadata } of [runningPod('web'), runningPod('db')]) {
    agent.events.event(
      { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: metadata!.name!, uid: metadata!.uid! },
      'Normal',
      'Started',
      `Started ${metadata!.name!}`,
    );
  }
  const terminal = recordingTerminal();
  const describe = (name: string): Promise<void> =>
    describeObjects(agent.connection, terminal, agent.clock, {
      targets: parseTargets(['pod', name]),
      namespace: 'default',
    });
  await describe('web');
  expect(terminal.printed[0]).toMatch(/^Name: +web-node1$/);
  expect(terminal.printed.at(-1)).toMatch(/^ {2}Normal +Started +0s +Started web-node1$/);
  expect(terminal.printed.join()).not.toContain('db-node1');

  await expect(describe('x')).rejects.toThrow('there is no pod "x"');
});
