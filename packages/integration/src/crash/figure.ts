/** One measured value, and whether it is as promised. */
export interface Figure {
  readonly label: string;
  readonly got: string;
  /** Absent where a figure is only told. */
  readonly promised?: string;
  readonly isKept: boolean;
  /** A time that the machine has a part in. */
  readonly isDuration?: true;
}

export function exactly(label: string, got: number | string, promised: number | string): Figure {
  return { label, got: String(got), promised: String(promised), isKept: got === promised };
}

export function atMost(label: string, got: number, limit: number, unit = ''): Figure {
  return { label, got: shown(got, unit), promised: `<= ${shown(limit, unit)}`, isKept: got <= limit };
}

/** A limit that a machine with other work to do may miss. */
export function within(label: string, gotMs: number, limitMs: number): Figure {
  return { ...atMost(label, gotMs, limitMs, 'ms'), isDuration: true };
}

/** The figure without a judgement where it is a duration. */
export function untimed(figure: Figure): Figure {
  return figure.isDuration ? { label: figure.label, got: figure.got, isKept: true } : figure;
}

/** Not judged. */
export function told(label: string, got: number | string, unit = ''): Figure {
  return { label, got: typeof got === 'number' ? shown(got, unit) : got, isKept: true };
}

function shown(value: number, unit: string): string {
  const rounded = Math.round(value * 100) / 100;
  return unit === '' ? String(rounded) : `${rounded} ${unit}`;
}
