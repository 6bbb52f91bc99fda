import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createNodeStartup, parseBootMs } from './node-startup.ts';

describe('createNodeStartup', () => {
  it('measures the steps of a new node, each once', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const startup = createNodeStartup(metrics, clock);
    startup.booted(clock.now() - 20_000);
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(1_000);
      startup.registering();
      await clock.advance(2_000);
      startup.registered();
      await clock.advance(4_000);
      startup.ready();
    }
    const seconds = (step: string) => metrics.values.get(`kubelet_node_startup_${step}duration_seconds`);
    const steps = ['pre_kubelet_', 'pre_registration_', 'registration_', 'post_registration_', ''];
    expect(steps.map(seconds)).toEqual([20, 1, 2, 4, 27]);
  });

  it('measures nothing of a node that existed', () => {
    const metrics = recordingMetrics();
    const startup = createNodeStartup(metrics, createVirtualClock());
    startup.registering();
    startup.ready();
    expect([...metrics.values]).toEqual([]);
  });
});

it('reads the time of the boot', () => {
  expect(parseBootMs('cpu 1 2\nbtime 1700000000\nprocesses 3\n')).toBe(1_700_000_000_000);
  expect(parseBootMs('')).toBeUndefined();
});
