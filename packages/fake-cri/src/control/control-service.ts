import { create } from '@bufbuild/protobuf';
import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import {
  type ClearFailpointsRequest,
  type ExitContainerRequest,
  type FailSandboxRequest,
  type ListFailpointsResponse,
  ListFailpointsResponseSchema,
  type LoseContainerRequest,
  type SetEventFaultsRequest,
  type SetFailpointRequest,
  type SnapshotResponse,
  SnapshotResponseSchema,
} from '../../gen/rxlet/fake/v1/control_pb.js';
import type { FakeRuntime } from '../create-fake-runtime.ts';
import { criNameOf, parseRpcName } from '../faults/rpc-names.ts';

/** An answer without content. */
type Nothing = Record<never, never>;

/**
 * The service `rxlet.fake.v1.FakeControl` as plain functions of its requests, for any server of protobuf services. They throw a ServiceError, with a gRPC
 * code, where the fake does.
 */
export interface ControlService {
  setFailpoint(request: SetFailpointRequest): Nothing;
  clearFailpoints(request: ClearFailpointsRequest): Nothing;
  listFailpoints(): ListFailpointsResponse;
  setEventFaults(request: SetEventFaultsRequest): Nothing;
  exitContainer(request: ExitContainerRequest): Nothing;
  loseContainer(request: LoseContainerRequest): Nothing;
  failSandbox(request: FailSandboxRequest): Nothing;
  stopRuntime(): Nothing;
  startRuntime(): Nothing;
  snapshot(): SnapshotResponse;
}

/** What the service controls. */
export type ControlledRuntime = Pick<
  FakeRuntime,
  | 'setFailpoint'
  | 'clearFailpoints'
  | 'failpoints'
  | 'setEventFaults'
  | 'exitContainer'
  | 'loseContainer'
  | 'failSandbox'
  | 'running'
  | 'stop'
  | 'start'
  | 'snapshot'
>;

/** Creates the {@link ControlService} of a fake runtime. */
export function createControlService(fake: ControlledRuntime): ControlService {
  const done = (_nothing: void): Nothing => ({});
  return {
    setFailpoint: ({ rpc, failpoint, after }) =>
      done(fake.setFailpoint(parseRpcName(rpc), failpoint, after ? 'after' : 'before')),
    clearFailpoints: ({ rpc }) => done(fake.clearFailpoints(rpc === '' ? undefined : parseRpcName(rpc))),
    listFailpoints: () =>
      create(ListFailpointsResponseSchema, {
        failpoints: fake
          .failpoints()
          .map(({ rpc, failpoint, place }) => ({ rpc: criNameOf(rpc), failpoint, after: place === 'after' })),
      }),
    setEventFaults: (faults) => done(fake.setEventFaults(faults)),
    exitContainer: ({ containerId, exitCode, reason }) =>
      done(fake.exitContainer(containerId, exitCode, reason === '' ? undefined : reason)),
    loseContainer: ({ containerId }) => done(fake.loseContainer(containerId)),
    failSandbox: ({ podSandboxId }) => done(fake.failSandbox(podSandboxId)),
    stopRuntime: () => done(fake.stop()),
    startRuntime: () => done(fake.start()),
    snapshot: () => snapshotOf(fake),
  };
}

function snapshotOf(fake: ControlledRuntime): SnapshotResponse {
  const { sandboxes, containers, images } = fake.snapshot();
  return create(SnapshotResponseSchema, {
    running: fake.running,
    sandboxes: sandboxes.map(({ id, metadata, state, network }) => ({
      id,
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      uid: metadata?.uid ?? '',
      ready: state === PodSandboxState.SANDBOX_READY,
      ip: network?.ip ?? '',
    })),
    containers: containers.map(({ id, metadata, state, exitCode, reason }) => ({
      id,
      name: metadata?.name ?? '',
      attempt: metadata?.attempt ?? 0,
      state: ContainerState[state],
      exitCode,
      reason,
    })),
    images: images.map(({ id, repoTags, repoDigests }) => ({ id, references: [...repoTags, ...repoDigests] })),
  });
}
