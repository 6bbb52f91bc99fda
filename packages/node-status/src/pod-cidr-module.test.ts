import type { ModuleParts } from '@rxlet/agent-api';
import { createModuleContext } from '@rxlet/agent-api/testing';
import type { RuntimeService } from '@rxlet/cri-api';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { podCidr } from './pod-cidr-module.ts';

function start(failures: number) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const ranges: string[] = [];
  let left = failures;
  const updateRuntimeConfig: RuntimeService['updateRuntimeConfig'] = async ({ runtimeConfig }) => {
    if (left-- > 0) throw new Error('connection refused');
    ranges.push(runtimeConfig?.networkConfig?.podCidr ?? '');
    return {};
  };
  const context = createModuleContext({ clock, logger, runtime: { updateRuntimeConfig } });
  const parts: ModuleParts = podCidr({ podCidr: '10.1.0.0/24' }).setup(context) ?? {};
  void parts.start?.(new AbortController().signal);
  return { clock, ranges, logger, parts };
}

it('passes the range of pod addresses to the runtime, once', async () => {
  const { clock, ranges } = start(0);
  await clock.advance(60_000);
  expect(ranges).toEqual(['10.1.0.0/24']);
});

it('retries a failed call until the runtime accepts the range, with one warning', async () => {
  const { clock, ranges, logger } = start(2);
  await clock.advance(15_000);
  expect(ranges).toEqual([]);
  await clock.advance(10_000);
  expect(ranges).toEqual(['10.1.0.0/24']);
  expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

it('gives up at its disposal', async () => {
  const { clock, ranges, parts } = start(1);
  await clock.settle();
  await parts[Symbol.asyncDispose]?.();
  await clock.advance(60_000);
  expect(ranges).toEqual([]);
});
