import { errorMessage } from '@rxlet/component-base';
import { type Document, type DocumentOptions, parseAllDocuments, type ScalarTag, type Tags, visit } from 'yaml';
import { listSome } from './list-some.ts';
import { ManifestError } from './manifest-error.ts';
import { exceedsYamlLimits } from './yaml-limits.ts';

/** YAML text may not hold these. */

const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** A manifest as plain data. */
export interface ParsedManifest {
  readonly value: unknown;
  /** What a parser takes silently, and its author hardly meant. */
  readonly warnings: readonly string[];
}

/**
 * Reads a manifest as kubectl and the kubelet do: JSON if it begins with `{`, else YAML by the rules of version 1.1, where `yes` is a boolean, `0644`
 * an octal number, and `<<` merges. Only their base-60 numbers (`22:22`), timestamps and binaries are left out.
 *
 * @throws {@link ManifestError}
 */
export function parseManifest(text: string, manifest: string): ParsedManifest {
  return text.trimStart().startsWith('{') ? parseJson(text, manifest) : parseYaml(text, manifest);
}

function parseJson(text: string, manifest: string): ParsedManifest {
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

function parseYaml(text: string, manifest: string): ParsedManifest {
  const notYaml = (what: string): ManifestError =>
    new ManifestError('NotYaml', manifest, `is not YAML: ${what}; correct it, or remove the file`);
  const control = controlCharacter.exec(text);
  if (control !== null) {
    throw notYaml(`control character at line ${String(text.slice(0, control.index).split('\n').length)}`);
  }
  const tooMuch = exceedsYamlLimits(text);
  if (tooMuch !== undefined) throw notYaml(`${tooMuch}, which no pod needs`);
  try {
    const documents = parseAllDocuments(text, yamlOptions);
    const [error] = documents.flatMap((document) => document.errors);
    if (error !== undefined) throw notYaml(error.message.split('\n', 1)[0]!.replace(/:$/, ''));
    // What lies between two separators may be nothing, or a comment.
    const filled = documents.filter(({ contents }) => contents !== null && contents.range[0] !== contents.range[1]);
    const [document, second] = filled;
    if (document === undefined) {
      throw new ManifestError('Empty', manifest, 'is empty; write a Pod into it, or remove it');
    }
    if (second !== undefined) {
      throw new ManifestError(
        'SeveralDocuments',
        manifest,
        `holds ${String(filled.length)} YAML documents; a manifest is one Pod, so put each into a file of its own`,
      );
    }
    const repeated = repeatedKeys(document);
    const warnings =
      repeated.length === 0 ? [] : [`the last one counts of keys given twice: ${listSome(repeated, ', ')}`];
    return { value: document.toJS() as unknown, warnings };
  } catch (error) {
    if (error instanceof ManifestError) throw error;
    // Too many aliases, for instance.
    throw notYaml(oneLine(error));
  }
}

function repeatedKeys(document: Document): readonly string[] {
  const repeated: string[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = String(key);
        if (seen.has(name)) repeated.push(name);
        seen.add(name);
      }
    },
  });
  return repeated;
}

function oneLine(error: unknown): string {
  return errorMessage(error).replaceAll(/\s+/g, ' ');
}

const leftOut = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
const yamlOptions: DocumentOptions & {
  version: '1.1';
  logLevel: 'error';
  uniqueKeys: false;
  customTags: (tags: Tags) => Tags;
} = {
  version: '1.1',
  logLevel: 'error',
  uniqueKeys: false,
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && (tag as ScalarTag).format !== 'TIME')),
};
