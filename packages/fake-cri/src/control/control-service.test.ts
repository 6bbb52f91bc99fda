import { create } from '@bufbuild/protobuf';
import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import {
  AdvanceClockRequestSchema,
  ClearFailpointsRequestSchema,
  ExitContainerRequestSchema,
  FailSandboxRequestSchema,
  ListCallsRequestSchema,
  LoseContainerRequestSchema,
  PublishImageRequestSchema,
  SetFailpointRequestSchema,
  SetScriptRequestSchema,
  WithdrawImageRequestSchema,
} from '../../gen/rxlet/fake/v1/control_pb.js';
import { codeOf, createBench } from '../test-support.ts';
import { createControlService } from './control-service.ts';

describe('the control service', () => {
  it('ends a container with the given exit code and reason', async () => {
    const { fake, start, container } = await createBench();
    await using _ = fake;
    const containerId = await start('serve');
    createControlService(fake).exitContainer(
      create(ExitContainerRequestSchema, { containerId, exitCode: 137, reason: 'OOMKilled' }),
    );
    expect(await container(containerId)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('loses a container and fails a sandbox', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    const containerId = await start('serve');
    const [sandbox] = control.snapshot().sandboxes;
    expect(sandbox).toMatchObject({ ready: true });
    control.loseContainer(create(LoseContainerRequestSchema, { containerId }));
    expect(await codeOf(fake.runtime.containerStatus({ containerId }))).toBe(StatusCode.NotFound);
    control.failSandbox(create(FailSandboxRequestSchema, { podSandboxId: sandbox!.id }));
    expect(control.snapshot()).toMatchObject({
      running: true,
      sandboxes: [{ id: sandbox!.id, ready: false }],
      containers: [],
    });
  });

  it('stops and starts the runtime, whose containers keep running', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    const containerId = await start('serve');
    control.stopRuntime();
    expect(control.snapshot().running).toBe(false);
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Unavailable);
    control.startRuntime();
    expect(control.snapshot()).toMatchObject({
      running: true,
      containers: [{ id: containerId, state: 'CONTAINER_RUNNING' }],
    });
    expect((await fake.runtime.version({})).runtimeName).toBe('fake');
  });

  it('publishes and withdraws images, and names the problem of an invalid one', async () => {
    const { fake } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    const pull = (image: string) => fake.images.pullImage({ image: { image } });
    control.publishImage(create(PublishImageRequestSchema, { image: 'tags: [web:1]\nsizeBytes: 42' }));
    await pull('web:1');
    expect((await fake.images.imageStatus({ image: { image: 'web:1' } })).image?.size).toBe(42n);
    control.withdrawImage(create(WithdrawImageRequestSchema, { reference: 'web:2' }));
    expect(await codeOf(pull('web:2'))).toBe(StatusCode.NotFound);
    for (const image of ['tag: [a]', '', 'tags: [A B]', '{']) {
      expect(() => control.publishImage(create(PublishImageRequestSchema, { image }))).toThrow(
        expect.objectContaining({ code: StatusCode.InvalidArgument }) as Error,
      );
    }
  });

  it('sets and removes behaviour scripts', async () => {
    const { fake, clock, start, container } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    control.setScript(create(SetScriptRequestSchema, { image: 'busybox', script: '{runSeconds: 1, exitCode: 4}' }));
    const scripted = await start('serve');
    control.setScript(create(SetScriptRequestSchema, { image: 'busybox' }));
    const plain = await start('serve');
    await clock.advance(1000);
    expect([(await container(scripted)).exitCode, (await container(plain)).finishedAt]).toEqual([4, 0n]);
    for (const request of [{}, { image: 'a', container: 'b' }, { container: 'b', script: 'exitCode: 300' }]) {
      expect(() => control.setScript(create(SetScriptRequestSchema, request))).toThrow(
        expect.objectContaining({ code: StatusCode.InvalidArgument }) as Error,
      );
    }
  });

  it('lists the latest calls with their times, outcomes and objects', async () => {
    const { fake, clock, start } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    const containerId = await start('serve');
    const stopping = fake.runtime.execSync({ containerId, cmd: ['sleep', '2'] });
    await clock.settle();
    const pending = control.listCalls(create(ListCallsRequestSchema, { rpc: 'ExecSync' })).calls;
    expect(pending).toMatchObject([{ pending: true, duration: 0n, containerId }]);
    await clock.advance(2000);
    await stopping;
    await codeOf(fake.runtime.containerStatus({ containerId: 'missing' }));
    const { calls } = control.listCalls(create(ListCallsRequestSchema, { afterSequence: pending[0]!.sequence - 1n }));
    const startedAt = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
    expect(calls).toMatchObject([
      { rpc: 'ExecSync', startedAt, duration: 2_000_000_000n, pending: false, code: 0, containerId },
      { rpc: 'ContainerStatus', startedAt: startedAt + 2_000_000_000n, code: 5, containerId: 'missing' },
    ]);
    expect(calls[1]?.message).toContain('not found');
    for (let call = 0; call < 1100; call += 1) await fake.runtime.version({});
    expect(control.listCalls(create(ListCallsRequestSchema, {})).calls).toHaveLength(1000);
  });

  it('advances a virtual clock, and no other', async () => {
    const { fake, clock, start, container } = await createBench();
    await using _ = fake;
    const containerId = await start('sleep', '60');
    const request = create(AdvanceClockRequestSchema, { milliseconds: 60_000n });
    const { now } = await createControlService(fake, clock).advanceClock(request);
    expect(now).toBe(BigInt(clock.now()) * 1_000_000n);
    expect((await container(containerId)).exitCode).toBe(0);
    expect((await container(containerId)).finishedAt).not.toBe(0n);
    expect(await codeOf(createControlService(fake).advanceClock(request))).toBe(StatusCode.FailedPrecondition);
  });

  it('shows to which sandbox a container belongs, and the labels of both', async () => {
    const { fake, runSandbox, create: createContainer } = await createBench();
    await using _ = fake;
    const podSandboxId = await runSandbox('web', { labels: { app: 'web' } });
    await createContainer(podSandboxId, { labels: { tier: 'front' } });
    expect(createControlService(fake).snapshot()).toMatchObject({
      sandboxes: [{ id: podSandboxId, attempt: 0, labels: { app: 'web' } }],
      containers: [{ podSandboxId, labels: { tier: 'front' }, image: 'docker.io/library/busybox:latest' }],
    });
  });

  it('sets, lists and clears failpoints, and rejects malformed ones', async () => {
    const { fake } = await createBench();
    await using _ = fake;
    const control = createControlService(fake);
    control.setFailpoint(create(SetFailpointRequestSchema, { rpc: 'Version', failpoint: 'error(aborted: x)' }));
    expect(control.listFailpoints().failpoints).toMatchObject([
      { rpc: 'Version', failpoint: 'error(aborted: x)', after: false },
    ]);
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Aborted);
    control.clearFailpoints(create(ClearFailpointsRequestSchema, {}));
    expect(await codeOf(fake.runtime.version({}))).toBeUndefined();
    const set = (rpc: string, failpoint: string) => () =>
      control.setFailpoint(create(SetFailpointRequestSchema, { rpc, failpoint }));
    expect(set('Version', 'explode()')).toThrow(expect.objectContaining({ code: StatusCode.InvalidArgument }) as Error);
    expect(set('NoSuchRpc', 'off')).toThrow(expect.objectContaining({ code: StatusCode.InvalidArgument }) as Error);
  });
});
