import { create } from '@bufbuild/protobuf';
import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import {
  ClearFailpointsRequestSchema,
  ExitContainerRequestSchema,
  FailSandboxRequestSchema,
  LoseContainerRequestSchema,
  SetFailpointRequestSchema,
} from '../../gen/rxlet/fake/v1/control_pb.js';
import { codeOf, createBench } from '../test-support.ts';
import { createControlService } from './control-service.ts';

describe('the control service', () => {
  it('ends a container as it is told', async () => {
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

  it('stops and starts the runtime, whose containers run on meanwhile', async () => {
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

  it('sets, lists and clears failpoints, and refuses what is none', async () => {
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
