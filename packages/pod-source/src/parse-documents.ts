import { parseManifest } from './parse-manifest.ts';
import type { ParsedDocuments } from './parsed-manifest.ts';

/** Parses a manifest of one or more YAML documents, or of one JSON object. @throws {@link ManifestError} */
export async function parseDocuments(text: string, manifest: string): Promise<ParsedDocuments> {
  if (text.trimStart().startsWith('{')) {
    const { value, warnings } = await parseManifest(text, manifest);
    return { values: [value], warnings };
  }
  // Loaded on demand: the YAML library is larger than the rest of the package.
  const { parseYamlDocuments } = await import('./parse-yaml.ts');
  return parseYamlDocuments(text, manifest);
}
