/** What one line of a worker's log says about its mailbox. */
export type LogSign =
  /** `otherName` is there when the line names a node, and not this one. */
  { readonly sign: 'started'; readonly otherName?: string } | { readonly sign: 'mailbox error'; readonly text: string };

/**
 * Reads a line of a worker's log, JSON or pretty. Only two kinds of line say anything here: that the worker started,
 * and that the mailbox could not be served. The second repeats for as long as the key, the host key or the network is
 * wrong, while the pod looks well.
 * @param node the name the worker should have
 */
export function readLogLine(line: string, node: string): LogSign | undefined {
  const { message, level, names, named } = fieldsOf(line);
  if (/\bworker started\b/i.test(message)) {
    const isOther = named !== undefined && !names.has(node);
    return { sign: 'started', ...(isOther && { otherName: named }) };
  }
  if (/mailbox/i.test(message) && FAULT.test(`${level} ${message}`)) return { sign: 'mailbox error', text: message };
  return undefined;
}

const FAULT = /\b(error|warn|warning|fatal)\b|could not|cannot|can't|failed/i;

interface LineFields {
  readonly message: string;
  readonly level: string;
  /** Everything in the line that may be a name. */
  readonly names: ReadonlySet<string>;
  /** What the line says the node is called. */
  readonly named: string | undefined;
}

function fieldsOf(line: string): LineFields {
  const start = line.indexOf('{');
  if (start >= 0) {
    try {
      return jsonFields(JSON.parse(line.slice(start)));
    } catch {
      // A pretty line may hold a brace.
    }
  }
  const names = new Set(line.split(/[^A-Za-z0-9._-]+/));
  return { message: line, level: '', names, named: /\b(?:node|worker|name)="?([A-Za-z0-9._-]+)/.exec(line)?.[1] };
}

function jsonFields(fields: Record<string, unknown>): LineFields {
  const message = text(fields.message ?? fields.msg);
  const detail = text(fields.error ?? fields.err);
  return {
    message: detail === '' ? message : `${message}: ${detail}`,
    level: text(fields.level ?? fields.severity),
    names: new Set(Object.values(fields).map(text)),
    named: text(fields.node ?? fields.worker ?? fields.name) || undefined,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Two polls of the slowest pace a worker has. */
const QUIET_MS = 10_000;

/** What a worker's log has said so far, and when it was read, in the clock's milliseconds. */
export interface LogRecord {
  readonly startedAt?: number;
  /** The name the worker gave itself, when it is not its node's. */
  readonly otherName?: string;
  readonly errorAt?: number;
  readonly error?: string;
}

/** The record after one more line. */
export function recordLine(record: LogRecord, line: string, node: string, now: number): LogRecord {
  const sign = readLogLine(line, node);
  switch (sign?.sign) {
    case 'started': {
      const { otherName: _, ...rest } = record;
      if (sign.otherName !== undefined) return { ...rest, otherName: sign.otherName };
      return { ...rest, startedAt: record.startedAt ?? now };
    }
    case 'mailbox error':
      return { ...record, errorAt: now, error: sign.text };
    case undefined:
      return record;
  }
}

/** When it serves, if nothing more is said until then; nothing while it has not started. */
export function servesAt({ startedAt, errorAt }: LogRecord): number | undefined {
  return startedAt === undefined ? undefined : Math.max(startedAt, errorAt ?? startedAt) + QUIET_MS;
}
