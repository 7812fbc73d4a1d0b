// Columns of numbers: undoes `columns.py`. A place is [first byte, count, type].

const ARRAYS = { f8: Float64Array, i4: Int32Array, u1: Uint8Array };

async function unpackColumns(text) {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return ([first, count, type]) => {
    const size = ARRAYS[type].BYTES_PER_ELEMENT;
    const own = new Uint8Array(count * size); // little endian, as all machines with a browser are
    for (let plane = 0; plane < size; plane++)
      for (let k = 0; k < count; k++) own[k * size + plane] = bytes[first + plane * count + k];
    return new ARRAYS[type](own.buffer);
  };
}
