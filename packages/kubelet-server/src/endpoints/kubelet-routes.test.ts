import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import type { KubeletServerPorts } from '../ports.ts';
import { type EndpointSwitches, kubeletRoutes } from './kubelet-routes.ts';

function rootsWith(switches: EndpointSwitches): readonly string[] {
  const clock = createVirtualClock();
  const ports: KubeletServerPorts = {
    clock,
    pods: { list: () => [], changes$: EMPTY },
    events: createEventLog(clock),
    healthChecks: [],
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
    runtime: {} as NonNullable<KubeletServerPorts['runtime']>,
    checkpointDirectory: '/checkpoints',
  };
  return kubeletRoutes(ports, [], switches).map((route) => ('root' in route ? route.root : route.pattern));
}

it('serves /checkpoint unless it is switched off', () => {
  expect(rootsWith({})).toContain('/checkpoint/');
  const without = rootsWith({ enableCheckpoint: false });
  expect(without).toContain('/exec');
  expect(without).not.toContain('/checkpoint/');
});
