// Messages along the edges of a graph: what core/kernels/graphs/message_passing.py and its neighbours compute, for GPUs.
//
// NUMBER is float or double. Tables are (nodes, heads * size), numbers of edges (edges, heads) in the order of the
// edges' ids, all row by row. Rows are compressed: to row r belong the places from indptr[r] to before indptr[r + 1];
// each place has the other end of its edge (neighbors) and the edge's id (edge_ids).
//
// A thread owns what it writes and adds up in the order of the places: no atomic additions, and no bit of a result
// depends on how many threads run. Threads side by side own elements side by side.

typedef long long integer;

// The loop over what is left to this thread of `count` things.
#define EACH(index, count)                                                                \
    for (integer index = (integer)blockIdx.x * blockDim.x + threadIdx.x; index < (count); \
         index += (integer)gridDim.x * blockDim.x)

// The row to which a place belongs: the last one that does not begin behind it.
__device__ static integer row_of(const integer *indptr, integer rows, integer place)
{
    integer low = 0, high = rows;
    while (low + 1 < high) {
        integer middle = (low + high) / 2;
        if (indptr[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

extern "C" __global__ void gather_sum(const NUMBER *table, const long long *indptr, const int *neighbors,
                                      long long rows, long long width, long long mean, NUMBER *result)
{
    EACH(element, rows * width)
    {
        integer row = element / width, column = element % width, first = indptr[row], last = indptr[row + 1];
        NUMBER sum = 0;
        for (integer at = first; at < last; ++at)
            sum += table[neighbors[at] * width + column];
        result[element] = mean && last - first > 1 ? sum / (NUMBER)(last - first) : sum;
    }
}

// Its gradient: towards the table itself over the transposed rows, towards the weight dot_ends.
extern "C" __global__ void gather_multiply_sum(const NUMBER *table, const NUMBER *weight, const long long *indptr,
                                               const int *neighbors, const int *edge_ids, long long rows,
                                               long long heads, long long size, NUMBER *result)
{
    integer width = heads * size;
    EACH(element, rows * width)
    {
        integer row = element / width, column = element % width, head = column / size;
        NUMBER sum = 0;
        for (integer at = indptr[row]; at < indptr[row + 1]; ++at)
            sum += weight[edge_ids[at] * heads + head] * table[neighbors[at] * width + column];
        result[element] = sum;
    }
}

extern "C" __global__ void dot_ends(const NUMBER *sources, const NUMBER *targets, const long long *indptr,
                                    const int *neighbors, const int *edge_ids, long long rows, long long heads,
                                    long long size, NUMBER *result)
{
    EACH(index, indptr[rows] * heads)
    {
        integer at = index / heads, head = index % heads;
        const NUMBER *source = sources + (neighbors[at] * heads + head) * size;
        const NUMBER *target = targets + (row_of(indptr, rows, at) * heads + head) * size;
        NUMBER sum = 0;
        for (integer k = 0; k < size; ++k)
            sum += source[k] * target[k];
        result[edge_ids[at] * heads + head] = sum;
    }
}

extern "C" __global__ void add_ends(const NUMBER *sources, const NUMBER *targets, const long long *indptr,
                                    const int *neighbors, const int *edge_ids, long long rows, long long width,
                                    NUMBER *result)
{
    EACH(index, indptr[rows] * width)
    {
        integer at = index / width, column = index % width, row = row_of(indptr, rows, at);
        result[edge_ids[at] * width + column] = sources[neighbors[at] * width + column] + targets[row * width + column];
    }
}

extern "C" __global__ void edge_expand(const NUMBER *table, const long long *indptr, const int *edge_ids,
                                       long long rows, long long width, NUMBER *result)
{
    EACH(index, indptr[rows] * width)
    {
        integer at = index / width, column = index % width;
        result[edge_ids[at] * width + column] = table[row_of(indptr, rows, at) * width + column];
    }
}

extern "C" __global__ void edge_softmax(const NUMBER *logits, const long long *indptr, const int *edge_ids,
                                        long long rows, long long heads, NUMBER *result)
{
    EACH(element, rows * heads)
    {
        integer row = element / heads, head = element % heads, first = indptr[row], last = indptr[row + 1];
        NUMBER highest = first < last ? logits[edge_ids[first] * heads + head] : 0, total = 0;
        for (integer at = first; at < last; ++at) {
            NUMBER number = logits[edge_ids[at] * heads + head];
            if (number > highest || number != number)
                highest = number;
        }
        for (integer at = first; at < last; ++at) {
            integer place = edge_ids[at] * heads + head;
            result[place] = exp(logits[place] - highest);
            total += result[place];
        }
        for (integer at = first; at < last; ++at)
            result[edge_ids[at] * heads + head] /= total;
    }
}

extern "C" __global__ void edge_softmax_gradient(const NUMBER *gradient, const NUMBER *softmax, const long long *indptr,
                                                 const int *edge_ids, long long rows, long long heads, NUMBER *result)
{
    EACH(element, rows * heads)
    {
        integer row = element / heads, head = element % heads, first = indptr[row], last = indptr[row + 1];
        NUMBER along = 0;
        for (integer at = first; at < last; ++at) {
            integer place = edge_ids[at] * heads + head;
            along += gradient[place] * softmax[place];
        }
        for (integer at = first; at < last; ++at) {
            integer place = edge_ids[at] * heads + head;
            result[place] = softmax[place] * (gradient[place] - along);
        }
    }
}

// The first edge that brings the best number wins; what is not a number wins against numbers.
extern "C" __global__ void gather_extreme(const NUMBER *table, const long long *indptr, const int *neighbors,
                                          const int *edge_ids, long long rows, long long largest, long long width,
                                          NUMBER *result, int *winners)
{
    EACH(element, rows * width)
    {
        integer row = element / width, column = element % width;
        NUMBER best = 0;
        int winner = -1;
        for (integer at = indptr[row]; at < indptr[row + 1]; ++at) {
            NUMBER number = table[neighbors[at] * width + column];
            bool beats = largest ? number > best : number < best;
            if (winner < 0 || (best == best && (beats || number != number))) {
                best = number;
                winner = edge_ids[at];
            }
        }
        result[element] = best;
        winners[element] = winner;
    }
}

// The winners are those of the result's rows (forward) or of the neighbours' rows: the gradient of gather_extreme.
extern "C" __global__ void sum_of_winners(const NUMBER *table, const int *winners, const long long *indptr,
                                          const int *neighbors, const int *edge_ids, long long rows, long long forward,
                                          long long width, NUMBER *result)
{
    EACH(element, rows * width)
    {
        integer row = element / width, column = element % width;
        NUMBER sum = 0;
        for (integer at = indptr[row]; at < indptr[row + 1]; ++at) {
            integer other = neighbors[at] * width + column;
            if (winners[forward ? element : other] == edge_ids[at])
                sum += table[other];
        }
        result[element] = sum;
    }
}
