import { create } from '@bufbuild/protobuf';
import { ContainerState, PodSandboxState, ServiceError, StatusCode } from '@rxlet/cri-api';
import {
  type AdvanceClockRequest,
  type AdvanceClockResponse,
  AdvanceClockResponseSchema,
  type ClearFailpointsRequest,
  type ExitContainerRequest,
  type FailSandboxRequest,
  type ListCallsRequest,
  type ListCallsResponse,
  ListCallsResponseSchema,
  type ListFailpointsResponse,
  ListFailpointsResponseSchema,
  type LoseContainerRequest,
  type PublishImageRequest,
  type SetEventFaultsRequest,
  type SetFailpointRequest,
  type SetScriptRequest,
  type SnapshotResponse,
  SnapshotResponseSchema,
  type WithdrawImageRequest,
} from '../../gen/rxlet/fake/v1/control_pb.js';
import type { FakeRuntime } from '../create-fake-runtime.ts';
import { criNameOf, parseRpcName } from '../faults/rpc-names.ts';
import { ImageCatalogueError, parseImage } from '../images/image-catalogue.ts';

/** Response without content. */
type Nothing = Record<never, never>;

/**
 * The service `rxlet.fake.v1.FakeControl` as plain functions of its requests, for any server of protobuf services. They throw the fake's ServiceErrors, which
 * have gRPC codes.
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
  setScript(request: SetScriptRequest): Nothing;
  publishImage(request: PublishImageRequest): Nothing;
  withdrawImage(request: WithdrawImageRequest): Nothing;
  listCalls(request: ListCallsRequest): ListCallsResponse;
  advanceClock(request: AdvanceClockRequest): Promise<AdvanceClockResponse>;
  snapshot(): SnapshotResponse;
}

/** Part of the runtime that the service controls. */
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
  | 'setScript'
  | 'registry'
  | 'callLog'
  | 'stop'
  | 'start'
  | 'snapshot'
>;

/** A clock that the service advances, such as component-base's virtual clock. */
export interface AdvanceableClock {
  now(): number;
  advance(ms: number): Promise<void>;
}

/** Creates the {@link ControlService} of a fake runtime. Without a clock AdvanceClock fails with FailedPrecondition. */
export function createControlService(fake: ControlledRuntime, clock?: AdvanceableClock): ControlService {
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
    setScript: ({ image, container, pod, script }) => {
      if ((image === '') === (container === '')) throw invalid('either the image or the container must be given');
      const target = image === '' ? { container, ...(pod !== '' && { pod }) } : { image };
      return done(fake.setScript(target, script === '' ? undefined : script));
    },
    publishImage: ({ image }) => {
      try {
        return done(fake.registry.publish(parseImage(image)));
      } catch (error) {
        throw error instanceof ImageCatalogueError ? invalid(error.message) : error;
      }
    },
    withdrawImage: ({ reference }) => done(fake.registry.withdraw(reference)),
    listCalls: (request) => listCalls(fake, request),
    async advanceClock({ milliseconds }) {
      if (clock === undefined)
        throw new ServiceError(StatusCode.FailedPrecondition, 'the runtime is on the clock of the machine');
      if (milliseconds < 0n) throw invalid('milliseconds must not be negative');
      await clock.advance(Number(milliseconds));
      return create(AdvanceClockResponseSchema, { now: nanoseconds(clock.now()) });
    },
    snapshot: () => snapshotOf(fake),
  };
}

function listCalls(fake: ControlledRuntime, { rpc, afterSequence }: ListCallsRequest): ListCallsResponse {
  const wanted = rpc === '' ? undefined : parseRpcName(rpc);
  const calls = fake
    .callLog()
    .filter((call) => (wanted === undefined || call.rpc === wanted) && BigInt(call.sequence) > afterSequence)
    .map(({ sequence, rpc: name, startedAtMs, durationMs, code, message, podSandboxId, containerId, image }) => ({
      sequence: BigInt(sequence),
      rpc: criNameOf(name),
      startedAt: nanoseconds(startedAtMs),
      duration: nanoseconds(durationMs ?? 0),
      pending: durationMs === undefined,
      code: code ?? 0,
      message: message ?? '',
      podSandboxId: podSandboxId ?? '',
      containerId: containerId ?? '',
      image: image ?? '',
    }));
  return create(ListCallsResponseSchema, { calls });
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}

function invalid(message: string): ServiceError {
  return new ServiceError(StatusCode.InvalidArgument, message);
}

function snapshotOf(fake: ControlledRuntime): SnapshotResponse {
  const { sandboxes, containers, images } = fake.snapshot();
  return create(SnapshotResponseSchema, {
    running: fake.running,
    sandboxes: sandboxes.map(({ id, metadata, state, network, labels }) => ({
      id,
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      uid: metadata?.uid ?? '',
      ready: state === PodSandboxState.SANDBOX_READY,
      ip: network?.ip ?? '',
      attempt: metadata?.attempt ?? 0,
      labels,
    })),
    containers: containers.map(({ podSandboxId, id, metadata, state, exitCode, reason, labels, image }) => ({
      id,
      name: metadata?.name ?? '',
      attempt: metadata?.attempt ?? 0,
      state: ContainerState[state],
      exitCode,
      reason,
      podSandboxId,
      labels,
      image: image?.image ?? '',
    })),
    images: images.map(({ id, repoTags, repoDigests }) => ({ id, references: [...repoTags, ...repoDigests] })),
  });
}
