import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { busyboxImage } from '@rxlet/test-containerd/build-image';
import {
  type PrivateRegistry,
  REGISTRY_ACCOUNT,
  registryUnavailable,
  startPrivateRegistry,
} from '@rxlet/test-containerd/private-registry';
import type { AgentFolders } from './test-support/agent-process.ts';
import { type TestNode, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

describeOnEachRuntime('images of a registry', { needs: registryUnavailable() }, (startNode) => {
  let node: TestNode;
  let open: PrivateRegistry;
  let guarded: PrivateRegistry;
  beforeAll(async () => {
    node = await startNode();
    open = await startPrivateRegistry({ directory: join(node.folder, 'open') });
    guarded = await startPrivateRegistry({ directory: join(node.folder, 'guarded'), password: true });
  });
  afterAll(async () => {
    await guarded?.[Symbol.asyncDispose]();
    await open?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  const running = (image: string): object => ({
    containers: [{ name: 'main', image, command: ['sh', '-c', untilStopped()] }],
  });
  /** Writes the node's docker config, in one step. */
  const writePassword =
    (password: string) =>
    async ({ root }: AgentFolders): Promise<void> => {
      const auth = Buffer.from(`${REGISTRY_ACCOUNT.username}:${password}`).toString('base64');
      await mkdir(root, { recursive: true });
      await writeFile(join(root, 'config.json.new'), JSON.stringify({ auths: { [guarded.host]: { auth } } }));
      await rename(join(root, 'config.json.new'), join(root, 'config.json'));
    };

  it("pulls with the node's password, and reports a wrong one until it is corrected", async () => {
    const image = await guarded.push('team/app:1', busyboxImage('any'));
    const plain = await open.push('app:1', busyboxImage('any'));
    const wrong = 'a-wrong-secret';
    await using agent = await node.agent({}, writePassword(wrong));
    await agent.write('app', running(image.reference));
    await agent.write('plain', running(plain.digestReference));

    const status = await agent.eventually('the pull backs off', async () => {
      const found = await agent.status('app', 'main');
      return found?.state?.waiting?.reason === 'ImagePullBackOff' ? found : undefined;
    });
    expect(status.state?.waiting?.message).toMatch(
      /^Back-off pulling image "127\.0\.0\.1:\d+\/team\/app:1": ErrImagePull: .*team\/app:1.*(401|[Uu]nauthorized|authorization failed)/s,
    );
    const events = await agent.eventsOf('app');
    for (const [type, reason, message] of [
      ['Normal', 'Pulling', /^Pulling image /],
      ['Warning', 'Failed', /^Failed to pull image .*(401|[Uu]nauthorized|authorization failed)/s],
      ['Warning', 'Failed', /^Error: ErrImagePull$/],
      ['Normal', 'BackOff', /^Back-off pulling image /],
      ['Warning', 'Failed', /^Error: ImagePullBackOff$/],
    ] as const) {
      const expected = { type, reason, message: expect.stringMatching(message) as unknown };
      expect(events).toContainEqual(expect.objectContaining(expected));
    }
    const { username } = REGISTRY_ACCOUNT;
    expect(guarded.requests()).toContainEqual(expect.objectContaining({ user: username, status: 401 }));
    // The other registry's pod is not disturbed.
    await agent.eventually(
      'the pod of the open registry runs',
      async () => (await agent.status('plain', 'main'))?.state?.running,
    );

    // What was read of the file is kept for five minutes, unless the agent starts anew.
    const firstOutput = agent.process.output();
    const firstEvents = await agent.process.events();
    await agent.end('SIGTERM');
    await writePassword(REGISTRY_ACCOUNT.password)(agent.folders);
    agent.startAgain();
    const repaired = await agent.eventually('the pod runs', async () => {
      const found = await agent.status('app', 'main');
      return found?.state?.running !== undefined && found;
    });
    expect(repaired.restartCount).toBe(0);
    expect(guarded.requests()).toContainEqual(expect.objectContaining({ user: username, status: 200 }));
    expect(open.requests().every(({ user }) => user === undefined)).toBe(true);
    const kept = [firstEvents, await agent.process.events(), await agent.process.pods()];
    const shown = firstOutput + agent.process.output() + JSON.stringify(kept);
    for (const secret of [wrong, REGISTRY_ACCOUNT.password]) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(Buffer.from(`${REGISTRY_ACCOUNT.username}:${secret}`).toString('base64'));
    }
  });
});
