import { readTar } from './read-tar.ts';

/** Target of a push. */
export interface PushTarget {
  /** The registry's own address, `http://127.0.0.1:5000`. */
  readonly registry: string;
  /** Without the registry, for example `team/app`. */
  readonly repository: string;
  readonly tag: string;
  /** Value of the Authorization header, if the registry requires one. */
  readonly authorization?: string | undefined;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
}

/**
 * Pushes the first image of an OCI image layout (a tar archive, as `buildImage` makes) over the registry's HTTP API: its blobs, then its manifest under the
 * tag. A tag that is there moves. Resolves with the manifest's digest. Rejects with the registry's response if it is unexpected.
 */
export async function pushImage(archive: Uint8Array, target: PushTarget): Promise<string> {
  const members = new Map(readTar(Buffer.from(archive)).map(({ path, content }) => [path, content]));
  const blob = (digest: string): Buffer =>
    Buffer.from(members.get(`blobs/${digest.replace(':', '/')}`) ?? '', 'latin1');
  const index = JSON.parse(members.get('index.json') ?? '{}') as { manifests?: readonly Descriptor[] };
  const [descriptor] = index.manifests ?? [];
  if (descriptor === undefined) throw new Error('the archive to push has no image with a name');
  const manifest = blob(descriptor.digest);
  const { config, layers } = JSON.parse(manifest.toString()) as { config: Descriptor; layers: readonly Descriptor[] };

  const repository = `${target.registry}/v2/${target.repository}`;
  for (const { digest } of [config, ...layers]) {
    const begun = await send(target, 'POST', `${repository}/blobs/uploads/`, 202);
    const upload = new URL(begun.headers.get('location') ?? '', target.registry);
    upload.searchParams.set('digest', digest);
    await send(target, 'PUT', upload.href, 201, 'application/octet-stream', blob(digest));
  }
  await send(target, 'PUT', `${repository}/manifests/${target.tag}`, 201, descriptor.mediaType, manifest);
  return descriptor.digest;
}

async function send(
  { authorization }: PushTarget,
  method: string,
  url: string,
  expectedStatus: number,
  contentType?: string,
  body?: Buffer,
): Promise<Response> {
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: new Uint8Array(body) }) });
  const text = await response.text();
  if (response.status === expectedStatus) return response;
  throw new Error(`${method} ${url}: ${String(response.status)} instead of ${String(expectedStatus)}: ${text}`);
}
