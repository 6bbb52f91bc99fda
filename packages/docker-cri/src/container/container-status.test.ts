import { ContainerState } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import type { DockerContainer, DockerState } from '../engine/docker-types.ts';
import { containerStatus } from './container-status.ts';

const ZERO = '0001-01-01T00:00:00Z';
const container = (state: Partial<DockerState>): DockerContainer => ({
  Id: 'c1',
  Name: '/k8s_main_web_default_u_3',
  Created: '2026-11-22T12:00:00.000000001Z',
  Image: 'sha256:1',
  ResolvConfPath: '',
  LogPath: '',
  State: {
    Status: '',
    Running: false,
    OOMKilled: false,
    Pid: 0,
    ExitCode: 0,
    Error: '',
    StartedAt: ZERO,
    FinishedAt: ZERO,
    ...state,
  },
  Config: { Image: 'busybox:1', Labels: null, Tty: false, OpenStdin: false, StdinOnce: false },
  HostConfig: { Memory: 64 },
  Mounts: [{ Type: 'bind', Source: '/a', Destination: '/b', RW: false, Propagation: 'rslave' }],
});
const STARTED = { StartedAt: '2026-11-22T12:00:01Z' };
const FINISHED = { ...STARTED, FinishedAt: '2026-11-22T12:00:02Z' };
const { CONTAINER_CREATED, CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;

describe('the status of a container', () => {
  it.each([
    ['created', {}, CONTAINER_CREATED, 0, ''],
    ['running', { ...STARTED, Running: true, Pid: 5 }, CONTAINER_RUNNING, 0, ''],
    ['running again', { ...FINISHED, Running: true, Pid: 5 }, CONTAINER_RUNNING, 0, ''],
    ['completed', FINISHED, CONTAINER_EXITED, 0, 'Completed'],
    ['failed', { ...FINISHED, ExitCode: 3 }, CONTAINER_EXITED, 3, 'Error'],
    ['out of memory', { ...FINISHED, ExitCode: 137, OOMKilled: true }, CONTAINER_EXITED, 137, 'OOMKilled'],
    ['not startable', { ExitCode: 127, Error: 'not found' }, CONTAINER_EXITED, 127, 'ContainerCannotRun'],
  ])('is %s', (_case, state, expected, exitCode, reason) => {
    expect(containerStatus(container(state), 'ref')).toMatchObject({ state: expected, exitCode, reason });
  });

  it('has metadata, image, mounts and resources', () => {
    expect(containerStatus(container({}), 'ref')).toMatchObject({
      id: 'c1',
      metadata: { name: 'main', attempt: 3 },
      image: { image: 'busybox:1' },
      imageRef: 'ref',
      imageId: 'sha256:1',
      mounts: [{ hostPath: '/a', containerPath: '/b', readonly: true, propagation: 1 }],
      resources: { linux: { memoryLimitInBytes: 64n } },
    });
    expect(containerStatus(container({}), 'ref').createdAt % 1_000_000_000n).toBe(1n);
  });
});
