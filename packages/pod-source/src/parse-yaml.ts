import { Composer, type Document, Lexer, LineCounter, Parser, type ScalarTag, Schema, visit } from 'yaml';
import { listSome, shorten } from '@rxlet/pod-model/validation';
import { errorMessage } from '@rxlet/component-base';
import { ManifestError } from './manifest-error.ts';
import type { ParsedDocuments, ParsedManifest } from './parsed-manifest.ts';
import { createYamlLimits } from './yaml-limits.ts';

/** Matches characters that YAML does not allow. */
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Parses a YAML manifest of one document by the rules of version 1.1, without base-60 numbers, timestamps and binaries.
 *
 * @throws {@link ManifestError}
 */
export function parseYaml(text: string, manifest: string): ParsedManifest {
  const { values, warnings } = parseYamlDocuments(text, manifest);
  if (values.length > 1) {
    throw new ManifestError(
      'SeveralDocuments',
      manifest,
      `holds ${String(values.length)} YAML documents; a manifest is one Pod, so put each into a file of its own`,
    );
  }
  return { value: values[0], warnings };
}

/** Parses the documents of a YAML manifest, at least one, like {@link parseYaml}. */
export function parseYamlDocuments(text: string, manifest: string): ParsedDocuments {
  const notYaml = (what: string): ManifestError =>
    new ManifestError('NotYaml', manifest, `is not YAML: ${what}; correct it, or remove the file`);
  const control = controlCharacter.exec(text);
  if (control !== null) {
    throw notYaml(`control character at line ${String(text.slice(0, control.index).split('\n').length)}`);
  }
  try {
    const documents = parseDocuments(text, notYaml);
    // Between two separators there may be nothing, or a comment.
    const filled = documents.filter(({ contents }) => contents !== null && contents.range[0] !== contents.range[1]);
    if (filled.length === 0) {
      throw new ManifestError('Empty', manifest, 'is empty; write a Pod into it, or remove it');
    }
    const repeated = filled.flatMap(repeatedKeys);
    const warnings =
      repeated.length === 0 ? [] : [`the last one counts of keys given twice: ${listSome(repeated, ', ')}`];
    return { values: filled.map((document) => document.toJS() as unknown), warnings };
  } catch (error) {
    if (error instanceof ManifestError) throw error;
    // Too many aliases, for instance.
    throw notYaml(oneLine(error));
  }
}

/** Parses all documents of a text. The tokens are checked on their way to the parser, so that nothing large is built of too many. */
function parseDocuments(text: string, notYaml: (fault: string) => ManifestError): readonly Document.Parsed[] {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(yamlOptions);
  const exceededLimit = createYamlLimits();
  const documents: Document.Parsed[] = [];
  const take = (composed: Iterable<Document.Parsed>): void => {
    for (const document of composed) {
      const [error] = document.errors;
      if (error !== undefined) {
        const { line, col } = lines.linePos(error.pos[0]);
        throw notYaml(`${oneLine(error)} at line ${String(line)}, column ${String(col)}`);
      }
      documents.push(document);
    }
  };
  // The parser reports the start of each line but the first.
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    const exceeded = exceededLimit(lexeme);
    if (exceeded !== undefined) throw notYaml(`${exceeded}, which no pod needs`);
    for (const token of parser.next(lexeme)) take(composer.next(token));
  }
  for (const token of parser.end()) take(composer.next(token));
  take(composer.end());
  return documents;
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

const leftOut = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
/** One schema for all documents: building it takes as long as parsing a small manifest. */
const schema = new Schema({
  schema: 'yaml-1.1',
  resolveKnownTags: false,
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && (tag as ScalarTag).format !== 'TIME')),
});
const yamlOptions = { version: '1.1', schema, logLevel: 'error', uniqueKeys: false } as const;

/** Returns the message of an error as one line of limited length. */
export function oneLine(error: unknown): string {
  return shorten(errorMessage(error));
}
