import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildImage } from './build-image.ts';
import { readTar } from './read-tar.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

describe('buildImage', () => {
  const archive = buildImage({
    references: ['example.org/one:1', 'example.org/two:2'],
    files: [{ type: 'file', path: 'hello', content: 'hello' }],
    defaults: { entrypoint: ['/hello'], command: ['x'], env: ['A=b'], workingDir: '/w' },
    architecture: 'riscv64',
  });
  const members = new Map(readTar(archive).map(({ path, content }) => [path, content]));
  const read = (path: string): unknown => JSON.parse(members.get(path) ?? 'null');
  const blob = ({ digest, size }: Descriptor): string => {
    const content = members.get(`blobs/${digest.replace(':', '/')}`) ?? '';
    expect(content.length).toBe(size);
    expect(digest).toBe(`sha256:${createHash('sha256').update(content, 'latin1').digest('hex')}`);
    return content;
  };

  it('is an OCI image layout that leads from each name to the files', () => {
    expect(read('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const { manifests } = read('index.json') as { manifests: Descriptor[] };
    expect(manifests.map(({ annotations }) => annotations?.['org.opencontainers.image.ref.name'])).toEqual([
      'example.org/one:1',
      'example.org/two:2',
    ]);
    for (const descriptor of manifests) {
      expect(descriptor.annotations?.['io.containerd.image.name']).toBe(
        descriptor.annotations?.['org.opencontainers.image.ref.name'],
      );
      const manifest = JSON.parse(blob(descriptor)) as { config: Descriptor; layers: [Descriptor] };
      expect(manifest.layers).toHaveLength(1);
      const layer = blob(manifest.layers[0]);
      expect(readTar(Buffer.from(layer, 'latin1'))).toMatchObject([{ path: 'hello', content: 'hello' }]);
      expect(JSON.parse(blob(manifest.config))).toMatchObject({
        os: 'linux',
        architecture: 'riscv64',
        config: { Entrypoint: ['/hello'], Cmd: ['x'], Env: ['A=b'], WorkingDir: '/w' },
        rootfs: { type: 'layers', diff_ids: [manifest.layers[0].digest] },
      });
    }
  });

  it('names the architecture as Go does', () => {
    const names = readTar(buildImage({ references: [], files: [], defaults: {} })).map(({ content }) => content);
    const expected = process.arch === 'x64' ? 'amd64' : process.arch;
    expect(names.some((content) => content.includes(`"architecture":"${expected}"`))).toBe(true);
  });
});
