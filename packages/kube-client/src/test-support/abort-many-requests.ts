/** A process that aborts many requests whose bodies still wait to be sent, and then makes another one. It prints the status of that. */
import { createKubeClient } from '../create-kube-client.ts';
import { sleep, systemClock as clock, systemRandom as random } from '@rxlet/component-base';
import { admin, createFakeKube, serveFakeKube } from '@rxlet/fake-kube';
import { resources } from '@rxlet/kube-api/resources';
import { parseKubeconfig } from '../kubeconfig/parse-kubeconfig.ts';
import { createUndiciTransport } from '../transport/undici-transport.ts';

/** Bodies of 1 MB in all exceed what an HTTP/2 connection may send at first. */
const REQUESTS = 200;
const BODY = JSON.stringify({ text: 'x'.repeat(5000) });

await using kube = createFakeKube({ clock, random });
await using server = await serveFakeKube(kube);
const endpoint = parseKubeconfig(await server.kubeconfig(admin), '/config');
await using transport = createUndiciTransport({ clock, env: {} }, endpoint);
const client = createKubeClient({ transport, clock, random }, { userAgent: 'test' });
await client.list(resources.nodes);
const controller = new AbortController();
const sent = Array.from({ length: REQUESTS }, (_, index) =>
  transport
    .send({
      method: 'PUT',
      path: `/api/v1/nodes/n${String(index)}`,
      headers: { 'content-type': 'application/json' },
      body: BODY,
      signal: controller.signal,
    })
    .catch(() => undefined),
);
await sleep(clock, 5);
controller.abort(new Error('no answer'));
await Promise.all(sent);
await client.list(resources.nodes);
process.stdout.write('answered');
