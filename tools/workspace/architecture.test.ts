import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');

/** Returns the packages that the picture of the layers lists, by layer. */
function picturedLayers(): Map<string, string[]> {
  const [, picture = ''] = /^## Layers\n([^]*?)^## /m.exec(text) ?? [];
  const layers = new Map<string, string[]>();
  let layer = '';
  for (const [, first = '', rest = ''] of picture.matchAll(/^ {4}(\w*) *[│ ]*(.*)$/gm)) {
    layer = first === '' ? layer : first;
    layers.set(layer, [...(layers.get(layer) ?? []), ...rest.split(/\s+/)]);
  }
  return layers;
}

describe('the picture of the layers', () => {
  const layers = picturedLayers();

  it.each(readdirSync(join(root, 'packages')))('has packages/%s in its layer', (folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
      readonly nx: { readonly tags: readonly string[] };
    };
    const layer = manifest.nx.tags.find((tag) => tag.startsWith('layer:'))!.slice('layer:'.length);
    expect(layers.get(layer)).toContain(folder);
  });
});
