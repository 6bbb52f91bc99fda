import { exceededJsonLimit } from './json-limits.ts';
import { ManifestError } from './manifest-error.ts';
import { oneLine } from './parse-yaml.ts';
import type { ParsedManifest } from './parsed-manifest.ts';

/**
 * Parses a manifest as kubectl and the kubelet do: JSON if it begins with `{`, else YAML by the rules of version 1.1, where `yes` is a boolean, `0644`
 * an octal number, and `<<` merges. Base-60 numbers (`22:22`), timestamps and binaries are not supported.
 *
 * @throws {@link ManifestError}
 */
export async function parseManifest(text: string, manifest: string): Promise<ParsedManifest> {
  if (text.trimStart().startsWith('{')) return parseJson(text, manifest);
  // Loaded on demand: the YAML library is larger than the rest of the package.
  const { parseYaml } = await import('./parse-yaml.ts');
  return parseYaml(text, manifest);
}

function parseJson(text: string, manifest: string): ParsedManifest {
  const exceeded = exceededJsonLimit(text);
  if (exceeded !== undefined) {
    const message = `is not JSON: ${exceeded}, which no pod needs; correct it, or remove the file`;
    throw new ManifestError('NotYaml', manifest, message);
  }
  try {
    return { value: JSON.parse(text) as unknown, warnings: [] };
  } catch (error) {
    throw new ManifestError(
      'NotYaml',
      manifest,
      `is not JSON: ${oneLine(error)}; correct it (a manifest that begins with "{" is read as JSON, and holds one object)`,
    );
  }
}
