import { EndpointError, type HttpEndpoint } from '@rxlet/agent-api/http';
import { expect, it, onTestFinished } from 'vitest';
import { restart } from './restart.ts';
import { recordingTerminal, runningPod, startFakeAgent } from './test-support.ts';

it('rxlet restart requests the restart of a pod, or of one container, and prints what restarts', async () => {
  const requests: string[] = [];
  const endpoint: HttpEndpoint = {
    path: 'restart',
    methods: ['POST'],
    minSegments: 2,
    maxSegments: 2,
    isLocal: true,
    handle({ segments, parameters }) {
      requests.push([...segments, parameters.get('container') ?? 'all'].join(' '));
      if (parameters.get('container') === 'none') throw new EndpointError(404, 'pod "web" has no container "none"');
      return { contentType: 'application/json', body: JSON.stringify({ containers: ['main'] }) };
    },
  };
  const agent = await startFakeAgent({ endpoints: [endpoint] });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  agent.put(runningPod('web'));
  const terminal = recordingTerminal();
  await restart(agent.connection, terminal, 'web', { namespace: 'default' });
  await restart(agent.connection, terminal, 'web', { namespace: 'default', container: 'main' });
  await expect(restart(agent.connection, terminal, 'web', { namespace: 'default', container: 'none' })).rejects.toThrow(
    'pod "web" has no container "none"',
  );
  expect(requests).toEqual(['default web-node1 all', 'default web-node1 main', 'default web-node1 none']);
  expect(terminal.printed).toEqual(['container/main restarts', 'container/main restarts']);
});
