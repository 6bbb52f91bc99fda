import { describe, expect, it } from 'vitest';
import { ImageCatalogueError, parseImageCatalogue } from './image-catalogue.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('parseImageCatalogue', () => {
  it('reads every field', () => {
    const catalogue = parseImageCatalogue(`
# What the node may pull.
imageDiskBytes: 1000000
missingImages: [ghost:1]
images:
  - tags: [app:1, quay.io/org/app:stable]
    digest: ${DIGEST}
    id: ${DIGEST}
    present: true
    pinned: true
    sizeBytes: 5000
    pullLatencyMs: 200
    bandwidthBytesPerSecond: 1.5e3
    credentials:
      - { username: me, password: secret }
      - { token: abc }
    errors:
      - { kind: too-many-requests, times: 2 }
      - { kind: other, message: out of order, times: .inf }
    entrypoint: [/app]
    cmd: [serve]
    env: [A=b]
    user: 1000
    files: { /etc/passwd: 'root:x:0:0:::' }
  - tags: [plain]
`);
    expect(catalogue).toEqual({
      imageDiskBytes: 1_000_000,
      missingImages: ['ghost:1'],
      images: [
        {
          tags: ['app:1', 'quay.io/org/app:stable'],
          digest: DIGEST,
          id: DIGEST,
          present: true,
          pinned: true,
          sizeBytes: 5000,
          pullLatencyMs: 200,
          bandwidthBytesPerSecond: 1500,
          credentials: [{ username: 'me', password: 'secret' }, { token: 'abc' }],
          errors: [
            { kind: 'too-many-requests', times: 2 },
            { kind: 'other', message: 'out of order', times: Infinity },
          ],
          entrypoint: ['/app'],
          cmd: ['serve'],
          env: ['A=b'],
          user: '1000',
          files: { '/etc/passwd': 'root:x:0:0:::' },
        },
        { tags: ['plain'] },
      ],
    });
    expect(parseImageCatalogue('')).toEqual({ images: [], missingImages: [] });
  });

  it.each([
    ['images: [', 'syntax', 1, ''],
    ['- a', 'field', 1, ''],
    ['image: []', 'field', 1, 'image'],
    ['images: 5', 'field', 1, 'images'],
    ['images:\n  - sizeBytes: 5', 'field', 2, 'images[0].tags'],
    ['images:\n  - tags: []', 'field', 2, 'images[0].tags'],
    ['images:\n  - tags: [a]\n  - tags: [Bad Name]', 'field', 3, 'images[1].tags[0]'],
    ['images:\n  - tags: [a]\n    sizeBytes: big', 'field', 3, 'images[0].sizeBytes'],
    ['images:\n  - tags: [a]\n    digest: sha256:12', 'field', 3, 'images[0].digest'],
    ['images:\n  - tags: [a]\n    bandwidthBytesPerSecond: 0', 'field', 3, 'images[0].bandwidthBytesPerSecond'],
    ['images:\n  - tags: [a]\n    errors:\n      - kind: boredom', 'field', 4, 'images[0].errors[0].kind'],
    ['images:\n  - tags: [a]\n    errors:\n      - times: 2', 'field', 4, 'images[0].errors[0].kind'],
    ['images:\n  - tags: [a]\n    credentials:\n      - username: me', 'field', 4, 'images[0].credentials[0]'],
    ['images:\n  - tags: [a]\n    present:', 'field', 3, 'images[0].present'],
    ['images:\n  - tags: [a]\n    files:\n      etc/passwd: x', 'field', 4, 'images[0].files["etc/passwd"]'],
    ['images:\n  - tags: [a]\n    files:\n      /etc/passwd: 5', 'field', 4, 'images[0].files["/etc/passwd"]'],
    ['images:\n  - tags: [a]\n    files: []', 'field', 3, 'images[0].files'],
    ['missingImages:\n  - a\n  -', 'field', 3, 'missingImages[1]'],
    ['imageDiskBytes: 1\nimageDiskBytes: 2', 'syntax', 2, ''],
  ] as const)('rejects %j', (yaml, reason, line, field) => {
    const parse = (): unknown => parseImageCatalogue(yaml);
    expect(parse).toThrow(ImageCatalogueError);
    expect(parse).toThrow(expect.objectContaining({ reason, line, field }));
    expect(parse).toThrow(`line ${String(line)}: ${field === '' ? '' : `${field}: `}`);
  });
});
