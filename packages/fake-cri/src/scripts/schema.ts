/** Type of a field of a script. */
export type FieldType =
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly whole: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string'; readonly oneOf?: readonly string[] }
  /** Not empty. `ordered`: by the items' `afterSeconds`. */
  | { readonly kind: 'list'; readonly item: FieldType; readonly ordered?: boolean }
  | {
      readonly kind: 'mapping';
      readonly fields: Readonly<Record<string, FieldType>>;
      readonly required: readonly string[];
    };

/** 10 years. */
const MAX_SECONDS = 315_360_000;
/** An interval: as short as a round of a loop in the shell. */
const MIN_INTERVAL_SECONDS = 0.01;

const text: FieldType = { kind: 'string' };
const seconds: FieldType = { kind: 'number', min: 0, max: MAX_SECONDS, whole: false };
const whole = (min: number, max: number): FieldType => ({ kind: 'number', min, max, whole: true });
const oneOf = (...values: string[]): FieldType => ({ kind: 'string', oneOf: values });
const list = (item: FieldType): FieldType => ({ kind: 'list', item });
const mapping = (fields: Record<string, FieldType>, ...required: string[]): FieldType => ({
  kind: 'mapping',
  fields,
  required,
});
const phases = (fields: Record<string, FieldType>, ...required: string[]): FieldType => ({
  kind: 'list',
  item: mapping({ afterSeconds: seconds, ...fields }, ...required),
  ordered: true,
});

const behaviour: Readonly<Record<string, FieldType>> = {
  runSeconds: seconds,
  exitCode: whole(0, 255),
  ignoreSigterm: { kind: 'boolean' },
  oomKillAfterSeconds: seconds,
  startDelaySeconds: seconds,
  log: list(
    mapping(
      {
        afterSeconds: seconds,
        text,
        stream: oneOf('stdout', 'stderr'),
        everySeconds: { kind: 'number', min: MIN_INTERVAL_SECONDS, max: MAX_SECONDS, whole: false },
        count: whole(1, 1e9),
      },
      'text',
    ),
  ),
  exec: list(
    mapping(
      {
        command: list(text),
        results: phases({ exitCode: whole(0, 255), stdout: text, stderr: text, takesSeconds: seconds }),
      },
      'command',
      'results',
    ),
  ),
  ports: list(
    mapping(
      {
        port: whole(1, 65_535),
        protocol: oneOf('http', 'tcp', 'grpc'),
        responses: phases({
          status: whole(200, 599),
          body: text,
          path: text,
          health: oneOf('SERVING', 'NOT_SERVING', 'UNKNOWN'),
          takesSeconds: seconds,
        }),
      },
      'port',
      'protocol',
    ),
  ),
  usage: phases({ cpuMillis: whole(0, 1e9), memoryBytes: whole(0, 2 ** 50) }, 'cpuMillis', 'memoryBytes'),
};

/** Type of a {@link BehaviourScript}. */
export const SCRIPT_SCHEMA: FieldType = mapping({ ...behaviour, attempts: list(mapping(behaviour)) });
