import { create } from '@bufbuild/protobuf';
import {
  CheckpointContainerRequestSchema,
  ExecSyncRequestSchema,
  PullImageRequestSchema,
  RunPodSandboxRequestSchema,
  StopContainerRequestSchema,
  VersionRequestSchema,
} from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { defaultTimeoutMs } from './call-timeouts.ts';

describe('defaultTimeoutMs', () => {
  it.each([
    ['Version', create(VersionRequestSchema), 120_000],
    ['RunPodSandbox', create(RunPodSandboxRequestSchema), 240_000],
    ['StopContainer', create(StopContainerRequestSchema, { timeout: 30n }), 150_000],
    ['StopContainer', create(StopContainerRequestSchema, { timeout: -1n }), 120_000],
    ['ExecSync', create(ExecSyncRequestSchema, { timeout: 5n }), 125_000],
    ['ExecSync', create(ExecSyncRequestSchema, { timeout: 0n }), Infinity],
    ['CheckpointContainer', create(CheckpointContainerRequestSchema, { timeout: 0n }), 120_000],
    ['CheckpointContainer', create(CheckpointContainerRequestSchema, { timeout: 7n }), 7000],
    ['CheckpointContainer', create(CheckpointContainerRequestSchema, { timeout: -1n }), Infinity],
    ['PullImage', create(PullImageRequestSchema), Infinity],
  ])('%s', (method, request, expected) => {
    expect(defaultTimeoutMs(method, request, 120_000)).toBe(expected);
  });

  it('has no deadline if there is none by default', () => {
    expect(defaultTimeoutMs('StopContainer', create(StopContainerRequestSchema, { timeout: 30n }), Infinity)).toBe(
      Infinity,
    );
    expect(defaultTimeoutMs('RunPodSandbox', create(RunPodSandboxRequestSchema), Infinity)).toBe(Infinity);
  });
});
