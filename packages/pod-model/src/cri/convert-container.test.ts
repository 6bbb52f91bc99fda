import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ContainerState, type ContainerStatus, ContainerStatusSchema } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { convertContainerStatus } from './convert-container.ts';
import { RuntimeResponseError } from './runtime-response-error.ts';

describe('convertContainerStatus', () => {
  type Init = Exclude<MessageInitShape<typeof ContainerStatusSchema>, ContainerStatus>;
  const message = (more: Init = {}): ContainerStatus =>
    create(ContainerStatusSchema, {
      id: 'c',
      metadata: { name: 'app', attempt: 2 },
      state: ContainerState.CONTAINER_EXITED,
      createdAt: 1n,
      startedAt: 2n,
      finishedAt: 3n,
      exitCode: 137,
      image: { image: 'nginx:1' },
      imageRef: 'nginx@sha256:1',
      reason: 'OOMKilled',
      message: 'no memory left',
      labels: { 'io.kubernetes.container.name': 'app' },
      annotations: { 'io.kubernetes.container.hash': 'ab12', 'io.kubernetes.container.restartCount': '2' },
      logPath: '/var/log/pods/default_web_u/app/2.log',
      ...more,
    });
  const convert = (more?: Init) => convertContainerStatus(message(more), { runtimeName: 'containerd', sandboxId: 's' });

  it('converts an exited container', () => {
    expect(convert({ mounts: [{ containerPath: '/data', hostPath: '/srv', readonly: true }] })).toEqual({
      id: { type: 'containerd', id: 'c' },
      name: 'app',
      sandboxId: 's',
      state: 'exited',
      createdAtNanos: 1n,
      startedAtNanos: 2n,
      finishedAtNanos: 3n,
      exitCode: 137,
      reason: 'OOMKilled',
      message: 'no memory left',
      image: 'nginx:1',
      imageRef: 'nginx@sha256:1',
      imageId: 'nginx@sha256:1',
      hash: 'ab12',
      restartCount: 2,
      logPath: '/var/log/pods/default_web_u/app/2.log',
      mounts: [{ containerPath: '/data', hostPath: '/srv' }],
    });
    expect(convert({ imageId: 'sha256:2' }).imageId).toBe('sha256:2');
  });

  it('ignores fields that do not apply to the state', () => {
    const nothing = { finishedAtNanos: 0n, exitCode: 0, reason: '', message: '' };
    expect(convert({ state: ContainerState.CONTAINER_RUNNING })).toMatchObject({ startedAtNanos: 2n, ...nothing });
    expect(convert({ state: ContainerState.CONTAINER_CREATED })).toMatchObject({ startedAtNanos: 0n, ...nothing });
  });

  it('ignores malformed annotations', () => {
    const annotations = { 'io.kubernetes.container.hash': 'x', 'io.kubernetes.container.restartCount': 'two' };
    expect(convert({ annotations })).toMatchObject({ hash: '', restartCount: 0 });
    expect(convert({ annotations: {} })).toMatchObject({ hash: '', restartCount: 0 });
  });

  it('converts resources to the units of the API', () => {
    const linux = { cpuShares: 512n, cpuQuota: 150_000n, cpuPeriod: 100_000n, memoryLimitInBytes: 1024n };
    expect(convert({ resources: { linux } }).resources).toEqual({
      cpuRequestMillis: 500,
      cpuLimitMillis: 1500,
      memoryLimitBytes: 1024,
    });
    const unlimited = { cpuShares: 2n, cpuQuota: -1n, cpuPeriod: 100_000n };
    expect(convert({ resources: { linux: unlimited } }).resources).toEqual({ cpuRequestMillis: 2 });
    expect(convert({ resources: { linux: {} } }).resources).toBeUndefined();
  });

  it('converts the user', () => {
    const linux = { uid: 1000n, gid: 2000n, supplementalGroups: [2000n, 3000n] };
    expect(convert({ user: { linux } }).user).toEqual({ uid: 1000, gid: 2000, supplementalGroups: [2000, 3000] });
    expect(convert({ user: {} }).user).toBeUndefined();
  });

  it.each([
    ['status.id', { id: '' }],
    ['status.metadata', { metadata: undefined }],
    ['status.metadata.name', { metadata: { attempt: 1 } }],
    ['status.createdAt', { createdAt: 0n }],
    ['status.image', { image: undefined }],
    ['status.image', { image: {} }],
    ['status.imageRef', { imageRef: '' }],
  ])('rejects a status without %s', (field, more) => {
    expect(() => convert(more)).toThrow(expect.objectContaining({ name: 'RuntimeResponseError', field }));
  });

  it('rejects a response without a status', () => {
    const context = { runtimeName: 'containerd', sandboxId: 's' };
    expect(() => convertContainerStatus(undefined, context)).toThrow(RuntimeResponseError);
  });
});
